/** A configuration file that sets every key of the Kubernetes target to another value than its default. */
export function kubernetesFile({
  url,
  token,
  kubeconfig,
  namespace = 'jobs',
}: {
  url: string;
  token: string;
  kubeconfig: string;
  namespace?: string;
}) {
  return {
    service_url: url,
    token,
    deploy_target: 'kubernetes',
    kubeconfig,
    kube_context: 'test',
    namespace,
    pod_template: { metadata: { annotations: { team: 'platform' } } },
    service_account: 'deployer',
    image_pull_policy: 'Never',
    pod_start_timeout: '90s',
    cancel_grace_period: '40s',
    debug_pod: true,
    single_run: true,
    http_server_port: 0,
    run_directory: 'run',
  } as const;
}
