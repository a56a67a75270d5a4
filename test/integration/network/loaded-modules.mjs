// Preloaded into a program: writes the address of each module that it loads to the file that LOADED_MODULES names.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['LOADED_MODULES'];
registerHooks({
  load(url, context, nextLoad) {
    if (file !== undefined) appendFileSync(file, `${url}\n`);
    return nextLoad(url, context);
  },
});
