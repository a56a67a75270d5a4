import { expect, it } from 'vitest';
import { githubHost } from '../../../../../src/ci-step/hosts/github/host.ts';
import { announceSettings } from '../../../../../src/ci-step/step.ts';
import { captureStdout } from '../../../../support/hosts/captured-stdout.ts';
import { stepIn } from '../../../../support/hosts/step.ts';
import { temporaryDirectory } from '../../../../support/run/temporary-directory.ts';

const ACCOUNT = JSON.stringify({ type: 'service_account', n: 1, private_key: '-----BEGIN\nMIIE' }, null, 2);

/** The texts that GitHub's runner hides once a step has hidden `secrets`. */
async function masksOf(secrets: readonly string[]) {
  const stdout = captureStdout();
  announceSettings(githubHost(stepIn(await temporaryDirectory())), { secrets, warnings: [] });
  return stdout.read().masks;
}

it('a secret of several lines makes no secret of a brace, so that JSON in job outputs stays', async () => {
  const masks = await masksOf([ACCOUNT, ACCOUNT.replaceAll('\n', '\r\n'), '{\n}\n', 'short\nlines\n']);
  expect(masks).toEqual([
    '"type": "service_account",',
    '"private_key": "-----BEGIN\\nMIIE"',
    'short',
    'lines',
  ]);
  const matrix = '{"include":[{"index":0}]}';
  expect(masks.filter((mask) => matrix.includes(mask))).toEqual([]);
});

it('a secret of one line is hidden however short, with a line end behind it too', async () => {
  expect(await masksOf(['pw', 'abcd\n', 'a;b%\r\n', ' '])).toEqual(['pw', 'abcd', 'a;b%']);
});
