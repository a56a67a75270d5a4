# The agent as a container, for running it on Kubernetes: docker build --tag pulumi-runner-agent .
# Any image with Node.js 24 will do as its base; pin yours by digest.
ARG BASE=node:24-bookworm-slim
FROM ${BASE}
COPY LICENSE dist/licenses.txt /opt/pulumi-runner-agent/
COPY dist/agent/ /opt/pulumi-runner-agent/agent/
COPY dist/shared/ /opt/pulumi-runner-agent/shared/
# Two heaps of glibc's instead of eight per core, as the action has it: see docs/bench.md.
ENV MALLOC_ARENA_MAX=2 HOME=/tmp PULUMI_AGENT_DEPLOY_TARGET=kubernetes
USER 1000:1000
WORKDIR /tmp
EXPOSE 8080
ENTRYPOINT ["node", "/opt/pulumi-runner-agent/agent/index.js"]
CMD ["run"]
