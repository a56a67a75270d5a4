import { onTestFinished } from 'vitest';
import { AZURE_AUDIENCE, startAzureIdTokens } from '../../emulators/azure/id-tokens.ts';
import type { Authority } from '../../integration/network/authority.ts';
import { tlsFront } from '../../integration/network/servers.ts';

/**
 * Azure's service for ID tokens under a certificate of `authority`, until the test ends; returns the variables by which a
 * step finds it.
 */
export async function idTokenRequests(
  sign: (audience: string) => Promise<string>,
  authority: Authority,
): Promise<Record<string, string>> {
  const service = await startAzureIdTokens(() => sign(AZURE_AUDIENCE));
  onTestFinished(async () => {
    await service.stop();
    if (service.violations.length > 0) throw new Error(service.violations.join('\n'));
  });
  const { SYSTEM_OIDCREQUESTURI: address = '', ...rest } = service.environment;
  const to = new URL(address);
  const front = await tlsFront({ identity: authority.issue({ names: 'IP:127.0.0.1' }), to });
  onTestFinished(() => front.close());
  return { ...rest, SYSTEM_OIDCREQUESTURI: `https://127.0.0.1:${front.port}${to.pathname}${to.search}` };
}
