# Two stages: the first builds a virtual environment from the lock file and both wheels, once; the
# second carries that environment and nothing else. No step compiles; all that is fetched is checked
# against a hash.
FROM python:3.13-slim AS build
WORKDIR /src
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore
RUN python -m venv --without-pip /opt/tesserae
COPY requirements/runtime.lock requirements/
RUN pip --python /opt/tesserae/bin/python install --require-hashes --only-binary :all: \
      -r requirements/runtime.lock
COPY . .
# What builds the wheels has no part in serving.
RUN pip --python /opt/tesserae/bin/python wheel --no-deps --no-build-isolation -w /wheels \
      . ./clients/python \
 && pip --python /opt/tesserae/bin/python install --no-deps /wheels/*.whl \
 && pip --python /opt/tesserae/bin/python uninstall --yes hatchling editables trove-classifiers

FROM python:3.13-slim
LABEL org.opencontainers.image.title="Tesserae" \
      org.opencontainers.image.description="A realtime server for shared pixel canvases" \
      org.opencontainers.image.licenses="Apache-2.0"
# A numeric user, so that an orchestrator can see that it is not root.
RUN ["install", "-d", "-o", "10001", "-g", "10001", "-m", "0750", "/data"]
# In exec form each command has a line of its own.
# hadolint ignore=DL3059
RUN ["python", "-m", "pip", "uninstall", "--yes", "--root-user-action=ignore", "pip"]
COPY --from=build /opt/tesserae /opt/tesserae
ENV PATH=/opt/tesserae/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TESSERAE_HOST=0.0.0.0 \
    TESSERAE_DATA=/data
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 8080
# The server drains for up to 25 s: stop it with `docker stop --time 30`.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=20s --timeout=5s --start-period=60s CMD ["tesserae", "health"]
ENTRYPOINT ["tesserae"]
CMD ["serve"]
