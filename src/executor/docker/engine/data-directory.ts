import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const infoSchema = z.object({
  DockerRootDir: z.string().startsWith('/'),
  DriverStatus: z.array(z.tuple([z.string(), z.string()])).catch([]),
  Containerd: z.object({ Address: z.string() }).optional().catch(undefined),
});

/** The type of the containerd store's drivers, the default of new engines since Docker 29. */
const SNAPSHOTTER = 'io.containerd.snapshotter.v1';

/** Of a containerd that dockerd starts itself, in its own state directory, rootless or in a Snap. */
const OWN_CONTAINERD = /docker\/containerd\/containerd\.sock$/;

/** Of a containerd that the system starts, with its usual configuration and root. */
const SYSTEM_CONTAINERD = /^(\/var)?\/run\/containerd\/containerd\.sock$/;
const CONFIGURATION = '/etc/containerd/config.toml';
const USUAL_ROOT = '/var/lib/containerd';

/** The files of containerd's machine; tests have their own. */
export interface ContainerdFiles {
  /** A file's text. Throws as node:fs does. */
  readonly read: (path: string) => Promise<string>;
  /** Throws as node:fs does if a path doesn't exist or can't be seen. */
  readonly see: (path: string) => Promise<void>;
}

const ownFiles: ContainerdFiles = { read: (path) => readFile(path, 'utf8'), see: (path) => access(path) };

/**
 * The folder that the engine on this machine keeps images in, by its `docker info`: with the
 * containerd store it lies below containerd's root. Undefined if it isn't known.
 */
export async function dataDirectory(info: unknown, files = ownFiles): Promise<string | undefined> {
  const fields = infoSchema.safeParse(info).data;
  if (fields === undefined) return undefined;

  const { DockerRootDir: root, DriverStatus: status, Containerd: containerd } = fields;
  if (!status.some(([, value]) => value === SNAPSHOTTER)) return root;

  const address = containerd?.Address ?? '';
  // moby, daemon/command/daemon.go, containerdRootDir.
  const childRoot = OWN_CONTAINERD.test(address) ? join(root, 'containerd', 'daemon') : undefined;
  const containerdRoot = SYSTEM_CONTAINERD.test(address) ? await systemRoot(files) : childRoot;
  if (containerdRoot === undefined) return undefined;

  try {
    await files.see(join(containerdRoot, 'io.containerd.content.v1.content'));
  } catch (error) {
    // Another root, given by a flag. Where only root can look, the disk can be measured all the same.
    if (isMissing(error)) return undefined;
  }
  return containerdRoot;
}

/** The configured root of the system's containerd; undefined if the configuration can't be read. */
async function systemRoot({ read }: ContainerdFiles): Promise<string | undefined> {
  let text = '';
  try {
    text = await read(CONFIGURATION);
  } catch (error) {
    if (!isMissing(error)) return undefined;
  }

  // A key of the document itself, which ends at the first table.
  const [topLevel = ''] = text.split(/^\s*\[/m, 1);
  const [, root = USUAL_ROOT] = /^\s*root\s*=\s*["'](.+)["']/m.exec(topLevel) ?? [];
  return root;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
