// All that is taken of the Kubernetes client. `WebSocketHandler` isn't in its index, so it comes from its own file.
export { KubeConfig } from '@kubernetes/client-node';
export { WebSocketHandler } from '@kubernetes/client-node/dist/web-socket-handler.js';
