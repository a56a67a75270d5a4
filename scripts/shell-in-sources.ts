/** Writes the shell that the agent runs in jobs and around Pulumi's agent to an existing folder, for a checker. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LAUNCHER } from '../src/engines/pulumi/agent-process.ts';
import { MAIN_PROCESS_SCRIPT } from '../src/executor/docker/container/main-process.ts';
import { STEP_SCRIPT as DOCKER_STEP_SCRIPT } from '../src/executor/docker/step/step-script.ts';
import { CONTROL_SCRIPT, MAIN_SCRIPT } from '../src/executor/kubernetes/pod/pod-scripts.ts';
import { STEP_SCRIPT } from '../src/executor/kubernetes/step/step-script.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node scripts/shell-in-sources.ts FOLDER');

const scripts = {
  'docker-main.sh': MAIN_PROCESS_SCRIPT,
  'docker-step.sh': DOCKER_STEP_SCRIPT,
  'kubernetes-main.sh': MAIN_SCRIPT,
  'kubernetes-control.sh': CONTROL_SCRIPT,
  'kubernetes-step.sh': STEP_SCRIPT,
  'pulumi-agent.sh': LAUNCHER,
};

for (const [name, text] of Object.entries(scripts)) await writeFile(join(folder, name), text);
