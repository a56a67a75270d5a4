import type { Owner } from './archive.ts';

/** Reads a file of the image; undefined when there is none. */
export type ReadImageFile = (path: string) => Promise<string | undefined>;

/** True when `user`, as an image's configuration has it, is root in any of its spellings. */
export function isRoot(user: string): boolean {
  return /^(root|0+)?(:|$)/.test(user);
}

/**
 * Who an image's processes run as. Names are looked up in the image's own /etc/passwd and /etc/group; the API's `copyUIDGID`
 * would look them up on the engine's host. A name that the image doesn't know becomes root: the start then fails for it.
 */
export async function imageOwner(user: string, read: ReadImageFile): Promise<Owner> {
  const [name = '', group = ''] = user.split(':', 2);
  if (isRoot(user) && /^\d*$/.test(group)) return { uid: 0, gid: Number(group) };
  const numeric = /^\d+$/.test(name);
  if (numeric && /^\d+$/.test(group)) return { uid: Number(name), gid: Number(group) };
  // passwd(5): name:password:UID:GID:…
  const rows = table(await read('/etc/passwd'));
  const row = rows.find((fields) => (numeric ? Number(fields[2]) === Number(name) : fields[0] === name));
  const uid = numeric ? Number(name) : Number(row?.[2] ?? 0);
  if (group === '') return { uid, gid: Number(row?.[3] ?? 0) };
  if (/^\d+$/.test(group)) return { uid, gid: Number(group) };
  const found = table(await read('/etc/group')).find((fields) => fields[0] === group);
  return { uid, gid: Number(found?.[2] ?? 0) };
}

function table(text: string | undefined): string[][] {
  return (text ?? '').split('\n').map((line) => line.split(':'));
}
