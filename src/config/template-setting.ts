import path from 'node:path';

/** A template that stands in a configuration file as a mapping: that file's text with nothing but it, each line and column where it was. */
export interface TemplateMapping {
  readonly text: string;
  /** The file. */
  readonly name: string;
}

/** What is left of `text` when all but the piece from `start` to `end`, offsets in it, becomes blank. */
export function onlyPiece(text: string, start: number, end: number): string {
  return text.slice(0, start).replace(/[^\n]/g, ' ') + text.slice(start, end);
}

/** A template as it was written: YAML stays, a path becomes absolute. A path has neither a line break nor a mapping's brace or colon and blank. */
export function readTemplate(text: string, workingDirectory: string): string {
  return /[\n{]|:\s/.test(text) ? text : path.resolve(workingDirectory, text);
}
