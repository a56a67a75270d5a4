import type { ContainerFile } from '../executor.ts';

/**
 * A POSIX shell function: `file <umask> <path> <content>` creates a file that isn't there yet, the content as printf %b takes it,
 * and sets answer=yes when it did. With builtins alone but for mkdir; for dash, bash and busybox ash.
 */
export const FILE_FUNCTION = `file() {
  umask 022
  if [ ! -e "$2" ] && [ ! -L "$2" ] && { [ -d "\${2%/*}/" ] || mkdir -p "\${2%/*}/"; }; then
    umask "$1"
    printf %b "$3" >"$2" && answer=yes
    umask 022
  fi
} 2>/dev/null`;

/**
 * The line that asks for a file by that function; undefined for a path that can't stand in it. The umask makes the mode as the
 * file is created, so no moment leaves it open; it can't make it executable.
 */
export function fileRequest({ path, mode, content }: ContainerFile): string | undefined {
  if (!/^\/[\w./+=@:-]+$/.test(path)) return undefined;
  return `file ${(0o777 & ~mode).toString(8).padStart(4, '0')} ${path} ${octal(content)}`;
}

/** Text as printf's %b takes it, free of anything that `read` or the shell treats specially. */
function octal(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[^A-Za-z0-9_./=+-]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
