import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { messageOf, OutcomeError } from '../../base/outcome.ts';

/**
 * cosign.pub of github.com/pulumi/customer-managed-workflow-agent, as of commit
 * 94a955c777d92f183007c6a5b01d708f65c7c366 (20 December 2023); unchanged at the tag v2.2.0.
 */
const PULUMI_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEUXSPM919ViLlK8NxbaRe3j/0nfKv
6eYNQX2Zym1/q6/x64bAd9oDgXMMaBTQnKuwnQwTUCeTKcPOYZ91lGqRsg==
-----END PUBLIC KEY-----
`;

export interface ReleaseKey {
  readonly key: KeyObject;
  /** Its name in messages. */
  readonly name: string;
}

/**
 * The key of the setting `engine_public_key`, PEM text or the path of a PEM file; Pulumi's if it
 * isn't set. Throws OutcomeError `config-error` for anything but an elliptic-curve key, the only
 * kind that cosign signs with.
 */
export function releaseKey(setting?: string): ReleaseKey {
  if (setting === undefined) return { key: createPublicKey(PULUMI_KEY), name: "Pulumi's key" };
  const isText = setting.includes('-----BEGIN');
  const name = isText ? 'engine_public_key' : `engine_public_key ${setting}`;

  try {
    const key = createPublicKey(isText ? setting : readFileSync(setting, 'utf8'));
    if (key.asymmetricKeyType === 'ec') return { key, name: `the key of ${name}` };
    throw new Error(`its type is ${key.asymmetricKeyType}, not ec`);
  } catch (cause) {
    const message = `Failed to read ${name} for the agent: ${messageOf(cause)}. Use the public half of a cosign key pair, cosign.pub.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-03', cause });
  }
}
