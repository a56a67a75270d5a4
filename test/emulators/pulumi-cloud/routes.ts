import { agentRoutes } from './agent.ts';
import type { Route } from './call.ts';
import { exchangeRoute, type RegisteredIssuer } from './exchange.ts';
import { jobRoutes } from './jobs.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue } from './queue.ts';
import { restRoutes } from './rest.ts';
import { stackRoutes } from './stack-routes.ts';
import type { Stacks } from './stacks.ts';
import type { TokenStore } from './tokens.ts';

/** What the calls work on. */
export interface Service {
  readonly settings: CloudSettings;
  readonly tokens: TokenStore;
  readonly stacks: Stacks;
  readonly queue: DeploymentQueue;
  readonly issuers: ReadonlyMap<string, RegisteredIssuer>;
}

/** Every call that the emulated Pulumi Cloud answers. */
export function routesOf({ settings, tokens, stacks, queue, issuers }: Service): readonly Route[] {
  return [
    exchangeRoute(queue, settings, tokens, issuers),
    ...agentRoutes(queue),
    ...jobRoutes(queue, settings),
    ...restRoutes(queue, stacks, settings),
    ...stackRoutes(stacks, settings),
  ];
}
