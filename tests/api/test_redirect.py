"""A service that sends us elsewhere is a service that fails: the token goes to the address that was configured only."""

from __future__ import annotations

import pytest

from attacks.raw_rest import Connection, answer, rest_service
from nav_eval.api.connecting import connect
from nav_eval.api.settings import Retry
from nav_eval.errors import ServiceError
from nav_eval_sdk.protocol.deadlines import Deadlines

DEADLINES = Deadlines(connect=5.0, ready=1.0, reset=5.0, act=5.0)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    def send_elsewhere(connection: Connection) -> None:
        where = f"Location: http://{connection.hostile.trap}/x\r\n"
        connection.send(answer(b"", status=f"{status} Elsewhere", head=where))

    with rest_service(lambda request: send_elsewhere) as hostile:
        service = connect(hostile.endpoint, "rest", token="secret", deadlines=DEADLINES, retry=Retry(0, 0.01))
        with pytest.raises(ServiceError):
            service.info()
        service.close()
        assert hostile.asked
        assert hostile.trapped == []
