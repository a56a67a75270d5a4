import type { PhaseHandle } from '../test/emulators/github/phase.ts';

/** Node takes no longer timer than this many milliseconds. */
const NO_DEADLINE_MS = 2 ** 31 - 1;

/** A pattern that matches nothing and sees every line: the runner's console can only be waited on. */
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

/** Hands on every line of the phase's console as it comes, those that came before first. Resolves at the phase's end. */
export async function eachConsoleLine(phase: PhaseHandle, see: (line: string) => void): Promise<void> {
  // Nothing matches, so this ends in one way: with the phase.
  await phase.waitForConsole(new LineTap(see), NO_DEADLINE_MS).catch(() => undefined);
}

/** Renders a job's console behind a margin: groups indented, annotations by their level. It keeps the group's state. */
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
