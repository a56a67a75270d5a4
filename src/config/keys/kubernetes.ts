import type { KeyDefinition } from '../key-definition.ts';

/** What jobs on a cluster take. The names of Pulumi's own variables of its Kubernetes target are kept (protocol section 6). */
export const KUBERNETES_KEYS = {
  kubeconfig: {
    type: 'path',
    extension: true,
    target: 'kubernetes',
    unsetMeans: "KUBECONFIG's, the home directory's, or the pod's own service account",
    help: 'Kubeconfig of the cluster where jobs run.',
  },
  kube_context: {
    type: 'text',
    extension: true,
    target: 'kubernetes',
    unsetMeans: "the kubeconfig's current one",
    help: 'Context of the kubeconfig.',
  },
  namespace: {
    type: 'word',
    extension: true,
    target: 'kubernetes',
    unsetMeans: "the context's, or the agent's own",
    help: "Namespace of jobs' pods.",
  },
  pod_template: {
    type: 'template',
    extension: true,
    target: 'kubernetes',
    help: "Strategic merge patch over each job's pod: YAML, or the path of such a file.",
  },
  service_account: {
    type: 'word',
    extension: true,
    target: 'kubernetes',
    environment: ['PULUMI_AGENT_SERVICE_ACCOUNT_NAME', 'PULUMI_AGENT_SERVICE_ACCOUNT'],
    unsetMeans: "the namespace's default, without its token",
    help: "Service account of jobs' pods.",
  },
  image_pull_policy: {
    type: 'choice',
    extension: true,
    target: 'kubernetes',
    choices: ['Always', 'IfNotPresent', 'Never'],
    default: 'IfNotPresent',
    help: "When nodes pull a job's image.",
  },
  pod_start_timeout: {
    type: 'duration',
    extension: true,
    target: 'kubernetes',
    default: '10m',
    help: "Time that a job's pod may take until it runs.",
  },
  debug_pod: {
    type: 'boolean',
    extension: true,
    target: 'kubernetes',
    default: 'false',
    help: 'Keep pods when their jobs are over, and say how to enter them.',
  },
  agent_image: {
    type: 'none',
    environmentOnly: true,
    environment: ['PULUMI_AGENT_IMAGE'],
    noEffect:
      "has no effect: a job's pod needs nothing of the agent's image; to replace the image of jobs set PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE",
    help: 'Accepted without effect.',
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
