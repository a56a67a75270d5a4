// All that is taken of the Kubernetes client, in a file of its own: scripts/bundle reduces the package to what this names.
export { KubeConfig } from '@kubernetes/client-node';
export { WebSocketHandler } from '@kubernetes/client-node/dist/web-socket-handler.js';
