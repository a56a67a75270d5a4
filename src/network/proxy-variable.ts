export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that counts for `url`, if it is set: without it there is nothing to find out. */
export function proxyVariable(url: URL, environment: Environment): Variable | undefined {
  return firstSet(environment, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
}

export interface Variable {
  readonly name: string;
  readonly text: string;
}

/** The first of a name in upper case and in lower case that is set and not blank. */
export function firstSet(environment: Environment, name: string): Variable | undefined {
  for (const each of [name, name.toLowerCase()]) {
    const text = environment[each]?.trim();
    if (text) return { name: each, text };
  }
  return undefined;
}
