import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Authority } from '../../integration/network/authority.ts';

/** Makes a folder as the Docker CLI expects it: the authority's `ca.pem`, a client's `cert.pem` and `key.pem`. */
export async function clientFolder(authority: Authority, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const { cert, key } = authority.issue({ names: 'DNS:client' });
  for (const [name, text] of Object.entries({ ca: authority.certificate, cert, key }))
    await writeFile(join(folder, `${name}.pem`), text);
  return folder;
}
