import { resolve } from 'node:path';
import { readTemplate } from '../config/kind.ts';
import type { KeyName } from '../config/schema.ts';
import { type Environment, inputText } from './input-text.ts';
import { caCertificateInput } from './own-trust.ts';

/**
 * The inputs that may be paths, as the agent is told: a relative path starts at the workspace, and the agent runs elsewhere.
 * Unset ones are left out.
 */
export function pathInputs(environment: Environment, checkoutDirectory: string): Partial<Record<KeyName, string>> {
  const caCertificate = caCertificateInput(environment, checkoutDirectory);
  const kubeconfig = inputText(environment, 'kubeconfig');
  const podTemplate = inputText(environment, 'pod-template');
  return {
    ...(caCertificate !== '' && { ca_certificate: caCertificate }),
    ...(kubeconfig !== '' && { kubeconfig: resolve(checkoutDirectory, kubeconfig) }),
    ...(podTemplate !== '' && { pod_template: readTemplate(podTemplate, checkoutDirectory) }),
  };
}
