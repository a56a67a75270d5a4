import { resolve } from 'node:path';
import type { KeyName } from '../config/schema.ts';
import { type Environment, inputText } from './input-text.ts';
import { caCertificateInput } from './own-trust.ts';

/**
 * The inputs that may be paths, as the agent is told: a relative path starts at the workspace, and the agent runs elsewhere.
 * Unset ones are left out.
 */
export function pathInputs(environment: Environment, checkoutDirectory: string): Partial<Record<KeyName, string>> {
  const paths = {
    ca_certificate: caCertificateInput(environment, checkoutDirectory),
    kubeconfig: fromCheckout(inputText(environment, 'kubeconfig'), checkoutDirectory),
    pod_template: fromCheckout(inputText(environment, 'pod-template'), checkoutDirectory),
  };
  return Object.fromEntries(Object.entries(paths).filter(([, text]) => text !== ''));
}

/** YAML in the place of a path has a brace, a line break, or a colon and a blank. */
function fromCheckout(text: string, checkoutDirectory: string): string {
  return text === '' || /[\n{]|:\s/.test(text) ? text : resolve(checkoutDirectory, text);
}
