# The evaluator, and the server of a competition laid over it. From the project's root:
#   docker build -f docker/evaluator.Dockerfile -t nav-eval .
#   docker build -f docker/evaluator.Dockerfile --target competition -t nav-eval-competition .
#
# The base is pinned by the tag of a point release, which Debian's image keeps. To pin the very bytes, look its digest
# up where you can reach a registry (docker buildx imagetools inspect debian:12.15-slim) and build with
# --build-arg BASE=debian:12.15-slim@sha256:...
ARG BASE=debian:12.15-slim

FROM ${BASE} AS build
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends binutils python3-venv \
 && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /opt/tools && python3 -m venv /opt/venv
COPY docker/requirements-build.txt docker/requirements-evaluator.txt /build/
RUN /opt/tools/bin/pip install --no-cache-dir --require-hashes -r /build/requirements-build.txt
RUN /opt/venv/bin/pip install --no-cache-dir --require-hashes -r /build/requirements-evaluator.txt
COPY packages/nav-eval-sdk /build/packages/nav-eval-sdk
COPY packages/nav-eval-worlds /build/packages/nav-eval-worlds
COPY packages/nav-eval-baselines /build/packages/nav-eval-baselines
COPY packages/nav-eval-extras /build/packages/nav-eval-extras
COPY pyproject.toml long_description.py README.md README.zh-CN.md LICENSE NOTICE /build/
COPY src /build/src
RUN /opt/tools/bin/pip wheel --no-cache-dir --no-build-isolation --no-deps -w /build/wheels /build/packages/nav-eval-sdk /build/packages/nav-eval-worlds /build/packages/nav-eval-baselines /build/packages/nav-eval-extras /build \
 && /opt/venv/bin/pip install --no-cache-dir --no-deps /build/wheels/*.whl \
 && /opt/venv/bin/pip check
# What never runs: the tests of numpy, scipy and numba, the installer, symbols of LLVM. Times are cut to whole seconds,
# as image layers keep them: numba's cache compares them.
RUN /opt/venv/bin/pip uninstall -y pip setuptools \
 && cd /opt/venv/lib/python3*/site-packages \
 && find numba numpy scipy -type d -name tests -prune -exec rm -r {} + \
 && find . -name "*.pyi" -delete \
 && strip --strip-unneeded llvmlite/binding/libllvmlite.so \
 && find . -name "*.py" -exec sh -c 'for file; do touch -d "@$(stat -c %Y "$file")" "$file"; done' sh {} +

FROM ${BASE} AS evaluator
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="nav-eval" \
      org.opencontainers.image.description="Evaluation of vision-and-language navigation agents" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# libegl1 finds a graphics card's OpenGL (simulator.renderer=opengl); the font is for Chinese instructions in videos.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates fonts-droid-fallback libegl1 python3 \
 && rm -rf /var/lib/apt/lists/* /var/cache/ldconfig/aux-cache /var/log/apt /var/log/dpkg.log \
 && useradd --uid 10001 --no-log-init --create-home evaluator \
 && install -d -o evaluator -g evaluator /cache /data /results
COPY --from=build /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NAV_EVAL_CACHE=/cache \
    NAV_EVAL_DATA=/data \
    NAV_EVAL_OUTPUT__LOG_DIR=/results
WORKDIR /results
USER 10001:10001
# A fresh volume at /cache begins with what is compiled here: on this kind of processor a first run is spared a minute.
RUN nav-eval doctor --warm \
 && nav-eval run vln-demo --quiet --out /tmp/warm agent_service.agent=random evaluation.max_steps=20 dataset.limit=1 \
      dataset.split=all dataset.generate.scenes=1 dataset.generate.rooms=2 dataset.generate.per_scene=1 \
 && find /tmp/warm /cache -mindepth 1 -maxdepth 1 ! -name kernels -exec rm -r {} +
VOLUME ["/cache", "/results"]
# A batch job: its exit code tells how it went, deadlines and --progress=json how it goes. There is nothing to ask.
HEALTHCHECK NONE
ENTRYPOINT ["nav-eval"]
CMD ["--help"]

# What the server needs besides: --prefix installs only what the evaluator does not have already.
FROM build AS build-competition
COPY docker/requirements-competition.txt /build/
RUN /opt/tools/bin/pip --python /opt/venv/bin/python install --no-cache-dir --prefix /opt/competition --require-hashes -r /build/requirements-competition.txt
COPY packages/nav-eval-server /build/packages/nav-eval-server
RUN /opt/tools/bin/pip wheel --no-cache-dir --no-build-isolation --no-deps -w /build/wheels /build/packages/nav-eval-server \
 && /opt/tools/bin/pip --python /opt/venv/bin/python install --no-cache-dir --no-deps --prefix /opt/competition /build/wheels/nav_eval_server-*.whl \
 && cp -a /opt/competition/. /opt/venv \
 && /opt/tools/bin/pip --python /opt/venv/bin/python check

FROM evaluator AS competition
LABEL org.opencontainers.image.title="nav-eval-competition" \
      org.opencontainers.image.description="A competition of navigation agents"
USER 0:0
# pg_dump for backups. Debian 12 has that of PostgreSQL 15, which reads no newer server's data.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends postgresql-client \
 && rm -rf /var/lib/apt/lists/* /var/cache/ldconfig/aux-cache /var/log/apt /var/log/dpkg.log \
 && install -d -m 700 -o evaluator -g evaluator /competition
COPY --from=build-competition /opt/competition /opt/venv
WORKDIR /competition
USER 10001:10001
VOLUME ["/competition"]
EXPOSE 8000
# What it is asked depends on the command: competition.yaml asks the one that serves.
HEALTHCHECK NONE
ENTRYPOINT ["nav-eval", "competition"]
CMD ["--help"]

# What is built where no --target is named.
FROM evaluator
