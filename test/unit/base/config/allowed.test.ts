import { describe, expect, it } from 'vitest';
import { readConfigFile } from '../../../../src/base/config/config-file.ts';
import { load, problems } from './sources.ts';

const machine = (text: string) =>
  readConfigFile({ workingDirectory: '/', file: '/etc/x.yaml', readFile: () => text });
const MACHINE = machine('allowed_stacks: [acme/*/dev]\ntoken: not-this\nmax_wait: 7s\n');
const token = { token: 'pul-1' };

describe('the lists of the machine’s file', () => {
  it('count besides those of any other source, which can’t take them away', () => {
    for (const allowed_stacks of ['acme/*/*', '']) {
      const { config } = load({ machineFile: MACHINE, overrides: { ...token, allowed_stacks } });
      expect(config.rootLists).toEqual({ allowedStacks: ['acme/*/dev'], allowedOperations: [] });
      expect(config.allowedStacks).toEqual(allowed_stacks === '' ? [] : ['acme/*/*']);
    }
  });

  it('are all that counts of it where another file is named', () => {
    const { config } = load({ machineFile: MACHINE, overrides: token });
    expect({ token: config.token, maxWaitMs: config.maxWaitMs }).toEqual({
      token: 'pul-1',
      maxWaitMs: undefined,
    });
  });

  it('are refused where they can’t be read', () => {
    expect(problems({ machineFile: machine('allowed_operations: up\n'), overrides: token })).toEqual([
      expect.stringMatching(/^\/etc\/x\.yaml:1:1: allowed_operations "up" is not one of /),
    ]);
  });

  it('make an invalid file a problem, though another one is named', () => {
    expect(problems({ machineFile: machine('allowed_stacks: [\n'), overrides: token })).toEqual([
      expect.stringMatching(/^\/etc\/x\.yaml:\d+:\d+: not valid YAML/),
    ]);
  });

  it('make a file that can’t be read or isn’t root’s alone a problem, though another one is named', () => {
    for (const why of ['this user can’t read it', 'it is a link', 'it belongs to the user 1000']) {
      const unread = readConfigFile({
        workingDirectory: '/',
        file: '/etc/x.yaml',
        readFile: () => {
          throw new Error(why);
        },
      });
      expect(problems({ machineFile: unread, overrides: token })).toEqual([
        `/etc/x.yaml: the file cannot be read: ${why}`,
      ]);
    }
  });

  it('make it a problem, once, where a workflow names that very file, but not where a command’s search finds it', () => {
    const unread = readConfigFile({
      workingDirectory: '/',
      file: '/etc/x.yaml',
      readFile: () => {
        throw new Error('it is a link');
      },
    });
    const named = machine('allowed_stacks: acme/web/dev\n');
    const problem = '/etc/x.yaml: the file cannot be read: it is a link';
    expect(problems({ machineFile: unread, configFile: named, overrides: token })).toEqual([problem]);
    expect(problems({ machineFile: unread, configFile: { ...unread }, overrides: token })).toEqual([problem]);
    const found = { file: '/etc/x.yaml', readFile: () => 'max_wait: 7s\n' };
    expect(load({ machineFile: unread, ...found, overrides: token }).config.maxWaitMs).toBe(7_000);
  });

  it('are absent where it sets none', () => {
    expect(
      load({ machineFile: machine('max_wait: 5s\n'), overrides: token }).config.rootLists,
    ).toBeUndefined();
  });
});

describe('a list that can’t be kept is a configuration error:', () => {
  it.each([
    [
      'with the engine pulumi',
      { allowed_stacks: 'acme/*/dev', engine: 'pulumi', single_run: 'true' },
      /^--allowed-stacks is set, and the engine pulumi can't enforce it/,
    ],
    [
      'with a trigger outside of it',
      { allowed_operations: 'preview', trigger: 'acme/web/dev', operation: 'update', access_token: 'pul-2' },
      /^--trigger would start update of acme\/web\/dev, which allowed_operations \(preview\) does not allow here$/,
    ],
    [
      'with another stack to trigger',
      {
        allowed_stacks: 'acme/*/dev',
        trigger: 'acme/web/dev acme/web/prod',
        operation: 'update',
        access_token: 'pul-2',
      },
      /^--trigger would start update of acme\/web\/prod, which allowed_stacks /,
    ],
  ])('%s', (_, overrides, problem) => {
    expect(problems({ overrides: { ...token, ...overrides } })).toEqual([expect.stringMatching(problem)]);
  });

  it('also where the machine’s file sets it', () => {
    const overrides = { ...token, engine: 'pulumi', single_run: 'true' };
    expect(problems({ machineFile: MACHINE, overrides })).toEqual([
      expect.stringMatching(/^allowed_stacks \(\/etc\/pulumi-workflow-agent.yaml\) is set/),
    ]);
  });
});
