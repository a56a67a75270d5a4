import type { KeyDefinition } from '../key-definition.ts';

const KUBERNETES_ONLY = 'only acts on the Kubernetes target, so it has no effect here';

/** Pulumi's settings of its Kubernetes target, which the environment alone gives. */
export const KUBERNETES_KEYS = {
  agent_image: {
    type: 'none',
    environmentOnly: true,
    environment: ['PULUMI_AGENT_IMAGE'],
    noEffect: `${KUBERNETES_ONLY}; to replace the image of jobs set PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE`,
    help: 'Kubernetes target only.',
  },
  image_pull_policy: kubernetesOnly(),
  service_account_name: kubernetesOnly(),
  debug_pod: kubernetesOnly(),
} as const satisfies Readonly<Record<string, KeyDefinition>>;

function kubernetesOnly() {
  return { type: 'none', environmentOnly: true, noEffect: KUBERNETES_ONLY, help: 'Kubernetes target only.' } as const;
}
