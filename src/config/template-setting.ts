import path from 'node:path';

/** A template that stands in a configuration file as a mapping. */
export interface TemplateMapping {
  /** JSON. */
  readonly text: string;
  /** The file. */
  readonly name: string;
}

/** A template as it was written: YAML stays, a path becomes absolute. A path has neither a line break nor a mapping's brace or colon and blank. */
export function readTemplate(text: string, workingDirectory: string): string {
  return /[\n{]|:\s/.test(text) ? text : path.resolve(workingDirectory, text);
}
