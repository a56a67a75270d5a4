import type { Route } from './call.ts';

interface Place {
  readonly route: Route;
  readonly pattern: RegExp;
}

/** Finds the endpoint of a call. */
export class Router {
  readonly #places: readonly Place[];

  constructor(routes: readonly Route[]) {
    this.#places = routes.map((route) => ({ route, pattern: patternOf(route.path) }));
  }

  /** The endpoint, and its path's parameters; undefined where there is none. */
  find(method: string, path: string): { route: Route; params: Record<string, string> } | undefined {
    for (const { route, pattern } of this.#places) {
      const match = route.method === method ? pattern.exec(path) : null;
      if (match === null) continue;
      const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decoded(value)]);
      return { route, params: Object.fromEntries(params) };
    }
    return undefined;
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)').replace('*', '.*')}$`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
