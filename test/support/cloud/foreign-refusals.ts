import type { Reply } from './scripted-server.ts';

/** Refusals by something between an agent and Pulumi Cloud, as such things write them. */
export const FOREIGN: readonly (readonly [
  string,
  Exclude<Reply, string | ((...given: never) => unknown)>,
])[] = [
  [
    'Traefik without a route',
    { status: 404, text: '404 page not found\n', headers: { 'content-type': 'text/plain' } },
  ],
  ['nginx', { status: 404, text: '<html><head><title>404 Not Found</title></head><body></body></html>' }],
  ['Kong', { status: 404, json: { message: 'no Route matched with those values' } }],
  ['Envoy', { status: 403, text: 'RBAC: access denied' }],
  ['a sign-in proxy', { status: 401, text: '<!DOCTYPE html><title>Sign in</title>' }],
  ['a site that takes no POST', { status: 405, text: '' }],
];
