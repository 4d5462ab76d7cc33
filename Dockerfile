# Two stages: the first builds a virtual environment from the lock file, the second carries nothing
# else. No step compiles; all that is fetched is checked against a hash.
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
RUN pip --python /opt/tesserae/bin/python wheel --no-deps --no-build-isolation -w /wheels \
      . ./clients/python \
 && pip --python /opt/tesserae/bin/python install --no-deps /wheels/*.whl

FROM python:3.13-slim
# A numeric user, so that an orchestrator can see that it is not root.
RUN install -d -o 10001 -g 10001 -m 0750 /data
COPY --from=build /opt/tesserae /opt/tesserae
ENV PATH=/opt/tesserae/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TESSERAE_HOST=0.0.0.0 \
    TESSERAE_DATA=/data
USER 10001:10001
VOLUME /data
EXPOSE 8080
# The server drains for up to 25 s: stop it with `docker stop --time 30`.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ.get('TESSERAE_PORT', '8080') + '/healthz', timeout=3)"]
ENTRYPOINT ["tesserae"]
CMD ["serve"]
