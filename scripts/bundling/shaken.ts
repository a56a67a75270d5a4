import type { InputOptions } from 'rolldown';

/** How rolldown reads and tree-shakes src/ and its packages. */
export const shaken: InputOptions = {
  platform: 'node',
  // Its 18 MB of classes, for every kind of object, load without side effects, which the package doesn't declare.
  treeshake: { moduleSideEffects: [{ test: /@kubernetes\/client-node/, sideEffects: false }] },
  // An unresolved import would otherwise fail only at run time.
  onLog: (_, { code, message }) => {
    throw new Error(`bundle: ${code}: ${message}`);
  },
};
