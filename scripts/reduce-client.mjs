// Reduces the Kubernetes client to what lib/target/kubernetes/client.js takes of it: whole, it is 18 MB of generated classes for every
// kind of object, which would be loaded with the first of them. ncc drops nothing; rolldown, which vitest brings, does.
import { readFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

const FILE = 'lib/target/kubernetes/client.js';
/** A client that knew the generated classes would be larger. */
const MOST_BYTES = 800_000;

const bundle = await rolldown({
  input: FILE,
  platform: 'node',
  // What the agent has anyway.
  external: ['undici'],
  treeshake: { moduleSideEffects: false },
});
await bundle.write({ file: FILE, format: 'esm' });
await bundle.close();
const { length } = readFileSync(FILE);
if (length > MOST_BYTES) throw new Error(`bundle: the Kubernetes client has ${length} bytes, more than ${MOST_BYTES}`);
