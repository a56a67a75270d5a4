import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InputOptions } from 'rolldown';

/** How rolldown reads and tree-shakes src/ and its packages. */
export const shaken: InputOptions = {
  platform: 'node',
  // Its 18 MB of classes, for every kind of object, load without side effects, which the package doesn't declare.
  treeshake: { moduleSideEffects: [{ test: /@kubernetes\/client-node/, sideEffects: false }] },
  // `ws` would load these native packages from outside the bundle: from ~/.node_modules, where an earlier CI job can put one.
  transform: {
    define: { 'process.env.WS_NO_BUFFER_UTIL': "'1'", 'process.env.WS_NO_UTF_8_VALIDATE': "'1'" },
  },
  // An optional package of a proxy client, for which Node.js would look in the folders above the bundle, the home directory
  // too. A built-in module without its functions takes its place.
  resolve: { alias: { kerberos: 'node:process' } },
  plugins: [
    {
      // The shell that jobs run stands in files of its own.
      name: 'shell-texts',
      transform(code, id) {
        const call = /shellText\('(\.\/[\w-]+\.sh)', import\.meta\.url\)/g;
        const textOf = (file: string) => JSON.stringify(readFileSync(join(dirname(id), file), 'utf8'));
        const replaced = code.replace(call, (_, file: string) => textOf(file));
        // A call that stays would fail at run time: the bundle has no such file beside it.
        if (replaced.includes('shellText(') && !id.endsWith('/shell-text.ts'))
          throw new Error(`bundle: ${id} must call shellText('./NAME.sh', import.meta.url) on one line`);
        return replaced;
      },
    },
    {
      // The bundler escapes characters beyond ASCII, but not those in the comments of licences.
      name: 'ascii-comments',
      transform: (code) =>
        code.replace(/\/\*![\s\S]*?\*\//g, (comment) => comment.replace(/[\u0080-\uffff]/g, escaped)),
    },
    {
      // The CommonJS files that `main` names can't be tree-shaken: of the serializers 17 kB are needed, of 250.
      name: 'opentelemetry-modules',
      async resolveId(name, importer = '') {
        if (
          !name.startsWith('@opentelemetry/') ||
          !/\/(?:src\/record\/telemetry|@opentelemetry)\//.test(importer)
        )
          return null;
        const found = await this.resolve(name, importer, { skipSelf: true });
        return found && { id: found.id.replace('/build/src/', '/build/esm/'), moduleSideEffects: false };
      },
    },
  ],
  // An unresolved import would otherwise fail only at run time.
  onLog: (_, { code, message }) => {
    throw new Error(`bundle: ${code}: ${message}`);
  },
};

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
