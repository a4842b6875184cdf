# A served agent with the SDK and the baselines of this checkout, for the demonstration and for tests:
#   docker build -f docker/agent.Dockerfile -t nav-eval-agent .
# A participant's own project has its own Dockerfile (nav-eval-agent new DIR); the final stages are the same but for
# what is copied in. evaluator.Dockerfile says how to pin the base by digest.
ARG BASE=debian:12.15-slim

FROM ${BASE} AS build
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3-venv \
 && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /opt/tools && python3 -m venv /opt/venv
COPY docker/requirements-build.txt docker/requirements-agent.txt /build/
RUN /opt/tools/bin/pip install --no-cache-dir --require-hashes -r /build/requirements-build.txt
RUN /opt/venv/bin/pip install --no-cache-dir --require-hashes -r /build/requirements-agent.txt
COPY packages/nav-eval-sdk /build/nav-eval-sdk
COPY packages/nav-eval-baselines /build/nav-eval-baselines
RUN /opt/tools/bin/pip wheel --no-cache-dir --no-build-isolation --no-deps -w /build/wheels /build/nav-eval-sdk /build/nav-eval-baselines \
 && /opt/venv/bin/pip install --no-cache-dir --no-deps /build/wheels/*.whl \
 && /opt/venv/bin/pip check \
 && /opt/venv/bin/pip uninstall -y pip setuptools

FROM ${BASE}
LABEL org.opencontainers.image.title="nav-eval-agent" \
      org.opencontainers.image.description="A navigation agent served to nav_eval" \
      org.opencontainers.image.licenses="Apache-2.0"
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates python3 \
 && rm -rf /var/lib/apt/lists/* /var/cache/ldconfig/aux-cache /var/log/apt /var/log/dpkg.log \
 && useradd --uid 10001 --no-log-init --create-home agent \
 && install -d -o agent -g agent /cache
COPY --from=build /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    XDG_CACHE_HOME=/cache
WORKDIR /agent
USER 10001:10001
VOLUME ["/cache"]
EXPOSE 8085
# Ready, not loading and not gone; a big model may take minutes to load.
HEALTHCHECK --interval=10s --timeout=6s --start-period=300s --retries=3 CMD ["nav-eval-agent", "health"]
# SIGTERM lets running episodes end (30 s at most): docker stop --time 40.
ENTRYPOINT ["nav-eval-agent", "serve", "--host", "0.0.0.0"]
CMD ["nav_eval_sdk.examples.random_agent:RandomAgent"]
