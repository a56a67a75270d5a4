import type { PhaseHandle } from '../test/emulators/github/phase.ts';

/** The longest timer that Node supports, in milliseconds. */
const NO_DEADLINE_MS = 2 ** 31 - 1;

/** Sees every line and matches none, because a phase's console can only be waited on. */
class LineTap extends RegExp {
  readonly #see: (line: string) => void;

  constructor(see: (line: string) => void) {
    super('(?!)', 'u');
    this.#see = see;
  }

  override exec(line: string): null {
    this.#see(line);
    return null;
  }
}

/** Passes on every console line of the phase, earlier ones first, then live. Resolves when the phase ends. */
export async function eachConsoleLine(phase: PhaseHandle, see: (line: string) => void): Promise<void> {
  // Nothing matches, so this rejects when the phase ends.
  await phase.waitForConsole(new LineTap(see), NO_DEADLINE_MS).catch(() => undefined);
}

/** Returns a renderer of console lines behind a margin, which indents groups and names the level of annotations. */
export function marginRenderer(margin: string): (line: string) => string | undefined {
  let indent = '';
  return (line) => {
    const [, marker, text = ''] = /^##\[([a-z]+)\](.*)$/su.exec(line) ?? [];
    switch (marker) {
      case 'group':
        indent = '  ';
        return `${margin}▸ ${text}`;
      case 'endgroup':
        indent = '';
        return undefined;
      case 'error':
      case 'warning':
      case 'notice':
        return `${margin}${indent}${marker}: ${text}`;
      default:
        return `${margin}${indent}${line}`;
    }
  };
}
