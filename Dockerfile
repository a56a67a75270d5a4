# The agent as an image, for a Docker engine's socket or for Kubernetes: docker build --tag pulumi-runner-agent .
FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS programs
# What the system's image lacks: an init, and the public authorities' certificates.
RUN [ -x /usr/bin/tini-static ] && [ -s /etc/ssl/certs/ca-certificates.crt ] || \
  { apt-get update && apt-get install --yes --no-install-recommends tini ca-certificates; }
# Of the agent's user, as a volume that is mounted there then is.
RUN mkdir /runs && chown 1000:1000 /runs
# A CI job that runs in this image starts the command by its name.
RUN mkdir /commands && ln -s /opt/pulumi-runner-agent/bin/pulumi-runner-agent.cjs /commands/pulumi-runner-agent

FROM debian:bookworm-20260918-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251
COPY --from=programs /usr/bin/tini-static /usr/local/bin/tini
COPY --from=programs /usr/local/bin/node /usr/local/bin/node
COPY --from=programs /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=programs --chown=1000:1000 /runs /var/lib/pulumi-runner
COPY --from=programs /commands/ /usr/local/bin/
COPY LICENSE dist/licenses.txt /opt/pulumi-runner-agent/
COPY bin/ /opt/pulumi-runner-agent/bin/
COPY dist/agent/ /opt/pulumi-runner-agent/dist/agent/
COPY dist/shared/ /opt/pulumi-runner-agent/dist/shared/
# Two heaps of glibc's instead of eight per core, as the action has it: see docs/observability.md.
ENV MALLOC_ARENA_MAX=2 HOME=/tmp
USER 1000:1000
WORKDIR /tmp
EXPOSE 8080
# An init, so that what a job's credential helper leaves behind is reaped, and SIGTERM reaches the agent.
ENTRYPOINT ["tini", "--", "node", "/opt/pulumi-runner-agent/dist/agent/index.js"]
CMD ["run"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PULUMI_AGENT_HTTP_SERVER_PORT || 8080}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="pulumi-runner-agent" \
  org.opencontainers.image.description="Runs Pulumi deployments inside your network, from CI jobs or as a service, in Docker or on Kubernetes." \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}"
