import { resolve } from 'node:path';
import { trustByDefault } from '../network/trust.ts';
import { type Environment, inputText, writtenText } from './input-text.ts';

/** The input `ca-certificate` as the agent is told: a relative path starts at the workspace, the agent runs elsewhere. */
export function caCertificateInput(environment: Environment, checkoutDirectory: string): string {
  const given = inputText(environment, 'ca-certificate');
  return given === '' || given.includes('-----BEGIN') ? given : resolve(checkoutDirectory, given);
}

/**
 * Has this action's own calls, to GitHub, trust what the agent trusts: without it they trust what Node.js brings and
 * `NODE_EXTRA_CA_CERTS` alone. Never throws: a certificate that can't be used is for the agent to tell.
 */
export function trustAsTheAgent(environment: Environment, checkoutDirectory: string): void {
  const text = caCertificateInput(environment, checkoutDirectory) || writtenText(environment, 'ca_certificate');
  try {
    trustByDefault(text === '' ? undefined : text.replaceAll('\\n', '\n'));
  } catch {
    trustByDefault();
  }
}
