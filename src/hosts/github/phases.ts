import { post } from '../../supervisor/finish.ts';
import { main } from '../../supervisor/step.ts';
import { githubHost, type Step } from './host.ts';
import { readInputs, readPostSettings } from './settings.ts';

/** The action's main phase. Returns the step's exit code; never throws. */
export async function mainPhase(step: Step): Promise<number> {
  return await main(githubHost(step), ({ idTokenFile }) => readInputs(step, idTokenFile));
}

/** The action's post phase. Returns 0; never throws. */
export async function postPhase(step: Step): Promise<number> {
  await post(githubHost(step), readPostSettings(step));
  return 0;
}
