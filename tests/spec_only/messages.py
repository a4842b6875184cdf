"""Section 4.2's messages from a .proto of our own: of its seven, the fields that the specification's text speaks of.

Compiled into a pool of its own, so that neither the SDK's classes nor another test's are met.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

PROTO = """
syntax = "proto3";
package nav_eval.v1;
service InferenceService {
  rpc ResetEpisode(EpisodeData) returns (InitialObservation);
  rpc GetAction(Observation) returns (Action);
  rpc HealthCheck(Empty) returns (ServiceStatus);
}
message Empty {}
message Instruction { string text = 1; repeated string tokens = 2; }
message EpisodeData {
  string episode_id = 1;
  string scene_id = 2;
  Instruction instruction = 3;
  repeated double start_position = 4;
  repeated double start_rotation = 5;
}
message InitialObservation { string status = 1; }
message Tensor { string dtype = 1; repeated int64 shape = 2; string encoding = 3; bytes data = 4; }
message Struct { map<string, Value> fields = 1; }
message List { repeated Value items = 1; }
message Value {
  oneof kind { Tensor tensor = 1; string text = 2; double number = 3; Struct struct = 4; List list = 5; }
}
message Observation { map<string, Value> observation = 4; }
message Action { string action = 1; map<string, Value> action_args = 2; }
message ServiceStatus { string status = 1; }
"""


def classes() -> dict[str, Any]:
    """Name -> class."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from grpc_tools import protoc

    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "written.proto")
        written.write_text(PROTO)
        compiled = Path(folder, "written.binpb")
        assert protoc.main(["protoc", f"-I{folder}", f"--descriptor_set_out={compiled}", str(written)]) == 0
        described = descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes()).file[0]
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(described.SerializeToString())
    types = pool.FindFileByName(described.name).message_types_by_name
    return {name: message_factory.GetMessageClass(kind) for name, kind in types.items()}
