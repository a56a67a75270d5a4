/** Writes the shell that the agent runs in jobs and beside Pulumi's agent to a folder, one file a script, for a checker. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LAUNCHER } from '../src/engines/pulumi/agent-process.ts';
import { MAIN_PROCESS_SCRIPT } from '../src/executor/docker/container/main-process.ts';
import { stepCommand } from '../src/executor/docker/step/step-script.ts';
import { CONTROL_SCRIPT, MAIN_SCRIPT } from '../src/executor/kubernetes/pod/pod-scripts.ts';
import { STEP_SCRIPT } from '../src/executor/kubernetes/step/step-script.ts';

const [folder = '.'] = process.argv.slice(2);
const command = stepCommand({ shell: 'sh', script: ':', environment: {} }, '/env');

const scripts = {
  'docker-main.sh': MAIN_PROCESS_SCRIPT,
  'docker-step.sh': command[2] ?? '',
  'kubernetes-main.sh': MAIN_SCRIPT,
  'kubernetes-control.sh': CONTROL_SCRIPT,
  'kubernetes-step.sh': STEP_SCRIPT,
  'pulumi-agent.sh': LAUNCHER,
};

await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(scripts)) await writeFile(join(folder, name), text);
