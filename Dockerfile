# syntax=docker/dockerfile:1
# The live service:
#   docker build --tag askance .
#   docker run --publish 127.0.0.1:8383:8383 --volume askance:/var/lib/askance askance
# The log shows a link that makes the first admin token; open it with localhost in place of 0.0.0.0.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
WORKDIR /source
RUN python -m venv /opt/askance
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN /opt/askance/bin/pip install --no-cache-dir --constraint constraints.txt '.[service,oidc,postgres]'

FROM python:${PYTHON}-slim
RUN groupadd --gid 10001 askance \
    && useradd --uid 10001 --gid askance --no-create-home --shell /usr/sbin/nologin askance \
    && install --directory --owner askance --group askance --mode 0700 /var/lib/askance /var/cache/askance
COPY --from=build /opt/askance /opt/askance
# Compiled code is cached in a directory that the service may write to.
ENV PATH=/opt/askance/bin:$PATH \
    NUMBA_CACHE_DIR=/var/cache/askance \
    PYTHONUNBUFFERED=1
USER askance
WORKDIR /var/lib/askance
VOLUME ["/var/lib/askance", "/var/cache/askance"]
EXPOSE 8383
# SIGTERM lets the service finish what it has begun.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8383/health', timeout=4)"]
ENTRYPOINT ["askance"]
CMD ["serve", "--host", "0.0.0.0", "--store", "/var/lib/askance/askance.db"]
