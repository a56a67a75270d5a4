import { expect, test } from 'vitest';
import { ownEngine } from '../../../src/ci-step/engine.ts';

const ENGINE = ownEngine({
  nodePath: '/usr/bin/node',
  script: '/dist/agent/index.js',
  configFile: 'my.yaml',
  defaults: { max_wait: '5m' },
  labels: { a: 'b=c' },
  environment: { MARK: 'x' },
});
const SETTINGS = ['--config', 'my.yaml', '--default', 'max_wait=5m', '--label', 'a=b=c'];

test('the agent gets its run directory, file, defaults, labels and environment, and runs in its own folder', () => {
  expect(ENGINE.run('/run')).toEqual({
    program: '/usr/bin/node',
    args: [
      '/dist/agent/index.js',
      'run',
      '--drain-on-stdin-end',
      '--no-export-trace',
      '--run-directory',
      '/run',
      ...SETTINGS,
    ],
    directory: '/dist/agent',
    environment: { MARK: 'x', MALLOC_ARENA_MAX: '2' },
  });
});

test('the agent is told where the outputs of its stacks go', () => {
  const { args } = ENGINE.run('/run', '/private/stack-outputs.json');
  expect(args.join(' ')).toContain(
    '--run-directory /run --stack-outputs /private/stack-outputs.json --config',
  );
});

test('the agent’s short commands get the settings that they read', () => {
  const args = [ENGINE.doctor('/run'), ENGINE.plan(), ENGINE.sweep('/run', 500)].map((command) =>
    command.args.slice(1),
  );
  expect(args).toEqual([
    ['doctor', '--json', '--run-directory', '/run', ...SETTINGS],
    ['plan', '--config', 'my.yaml'],
    ['sweep', '--run-directory', '/run', '--grace', '500ms', '--config', 'my.yaml'],
  ]);
});

test('without a file, the agent searches for none', () => {
  const engine = ownEngine({ nodePath: 'node', script: '/dist/agent/index.js', environment: {} });
  for (const { args } of [engine.run('/run'), engine.doctor('/run'), engine.plan(), engine.sweep('/run', 1)])
    expect(args).toContain('--no-search');
});
