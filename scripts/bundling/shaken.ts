import type { InputOptions } from 'rolldown';

/** How rolldown reads src/ and its packages. */
export const shaken: InputOptions = {
  platform: 'node',
  // Its classes for every kind of object are 18 MB; the package doesn't say that it does nothing when it is loaded.
  treeshake: { moduleSideEffects: [{ test: /@kubernetes\/client-node/, sideEffects: false }] },
  // What can't be resolved would fail only when it is needed.
  onLog: (_, { code, message }) => {
    throw new Error(`bundle: ${code}: ${message}`);
  },
};
