/** A claim of the pages on security, and the title of the test that holds it, without its `describe`. */
type Evidence = readonly [claim: string, title: string];

/**
 * Which test holds each claim of docs/security.md, isolation.md and redaction.md, by the test's file. The claims
 * without a test are in docs/internals/security-evidence.md.
 */
export const SECURITY_EVIDENCE: Readonly<Record<string, readonly Evidence[]>> = {
  'test/integration/agent/changed-resources.test.ts': [
    [
      'with an access token the steps that Pulumi Cloud recorded count, not what a job prints',
      'are not what a job prints beside Pulumi Cloud’s record of its update',
    ],
  ],
  'test/unit/agent/job-findings.test.ts': [
    ['only a stack with a proven name is read', 'are read from Pulumi Cloud for a proven name alone: %s'],
  ],
  'test/integration/docker/containment.test.ts': [
    [
      '`ulimits`, `shm_size`',
      'are those set, and a step may have as many files open as the hard one says: %s, %s',
    ],
    [
      'every other capability is gone, and none comes back',
      'are only those listed, as the kernel sees them, and can never become more',
    ],
    [
      'no device, mount, other root, network, kernel, clock, forged packet, setuid',
      'do not let root make devices, mount, change its root, its network, the kernel or the clock, forge packets or use setuid',
    ],
    ['no file, device or socket of the host', 'no file or device of the host, and no socket of the engine'],
    ['no namespace of the host', 'no namespace of the host'],
    ['the limit of processes', 'stop a fork bomb, which the agent can still end'],
    ['the limits of memory and processors', 'are the ones that the kernel enforces'],
    ['memory that runs out ends the step, and is said', 'end a step that takes more memory, and say so'],
    [
      'the engine keeps no output',
      'keep output off the host’s disk: the engine logs nothing that the container writes',
    ],
    ["the dead don't count as processes", 'do not count the 1,000 dead that a step left behind (%s)'],
  ],
  'test/unit/executor/docker/host-config.test.ts': [
    ['the least unless more is set', 'is the minimum for jobs, unless more is configured'],
    ['no swap, parts of processors', 'is limited or extended as configured'],
    ['no network of the host or of another container', 'excludes the network of %s'],
    ['volumes are mounted, never a folder', 'includes mounting a volume, but nothing else'],
  ],
  'test/integration/docker/job-network.test.ts': [
    ['each address of the metadata service', 'at %s is unreachable for a job, which fails at once'],
    ['MTU, addresses', 'has the MTU and the addresses that are set'],
    ['no other job is reached', 'can’t be reached from another job, unlike a shared one'],
    ['a shared network is said', 'is open on a network that is not the job’s own, with a warning'],
    ['no metadata service', 'is not brought back by root inside the container'],
    ['no IPv6', 'has no IPv6 address that a job could reach'],
    [
      "`allow_metadata: false` that can't be kept is a warning",
      'is open on a network that is not the job’s own, with a warning',
    ],
  ],
  'test/integration/docker/podman.test.ts': [
    [
      'Podman refuses a runtime',
      'Podman says what it confines jobs with, and refuses a runtime before any job is claimed',
    ],
    [
      "Podman doesn't block it, which is said",
      'Podman does not block the metadata service, and the log says so',
    ],
  ],
  'test/integration/docker/runtimes.test.ts': [
    [
      'the runtime is the configured one',
      'is the one that the engine made the container with, and runs whole jobs',
    ],
    [
      'a runtime that gives too much is refused',
      'is refused by name when it gives a job more capabilities than it was made with',
    ],
    ['an unknown runtime claims nothing', 'is named before any job is claimed, with those that it knows'],
    [
      'Sysbox is asked to drop capabilities (a stand-in)',
      'is asked to keep to the capabilities where it is Sysbox',
    ],
    [
      'without seccomp a job has every capability in a user namespace',
      'a job has every capability in a user namespace of its own only where the engine filters no system calls',
    ],
  ],
  'test/gvisor/jobs.test.ts': [
    ['gVisor: files, users', 'files and the environment file go in and out, for the user of the image alone'],
    [
      'gVisor: metadata, capabilities, memory',
      'the metadata addresses refuse, capabilities stay dropped, and memory is counted',
    ],
    ["gVisor: the agent's death", 'the container ends with its agent'],
  ],
  'test/unit/executor/docker/info.test.ts': [
    ['what the engine confines with', 'says what it confines with: %j'],
    [
      'no job runs under another runtime',
      'that made a container with another runtime than the configured one is refused',
    ],
    [
      'files go in before the start but with known runtimes',
      'is believed about files in a running container only with runtimes that are known to show them',
    ],
    [
      'an engine without seccomp is a warning',
      'that filters no system calls is a warning, but not for a runtime with a kernel of its own: %j',
    ],
  ],
  'test/integration/kubernetes/pods.test.ts': [
    [
      'pods: the service account’s token',
      "a pod has its account's token unless the account says otherwise, and none when no account is named",
    ],
    [
      'pods: the RuntimeClass',
      'a pod has the RuntimeClass that is configured, unless a template says otherwise, and a missing one is found before any claim',
    ],
    [
      'pods: capabilities, seccomp',
      'a pod has the capabilities of a job in Docker and the runtime’s seccomp profile, unless a template says otherwise',
    ],
  ],
  'test/integration/docker/many-networks.test.ts': [
    [
      'networks for more jobs than the engine has pools',
      'forty jobs at once each get a network, even when the engine’s address pools are used up',
    ],
  ],
  'test/integration/docker/loss.test.ts': [
    ['a job ends with its agent', 'takes its container along even when the step ignores everything'],
    [
      'whatever it sends to its guard',
      'takes its container along, even when a step as root stops and kills what it can (%s)',
    ],
    [
      'nor does work that it makes for its guard',
      'takes its container along, even when a step keeps its guard busy with %s',
    ],
    [
      'how a job cheats its guard, and that a sweep ends it',
      'leaves a container whose step holds the main process’s stdin open, until a sweep removes it',
    ],
  ],
  'test/integration/docker/step.test.ts': [
    ['the engine says when a step is over', 'is not over before its process has ended, whatever it reports'],
    ['the engine says how a step ended', 'cannot forge the control lines that the agent reads'],
    [
      'the engine says whether it stops a container',
      'that claims that its container is being stopped is interrupted as any other, and ends with its own exit code',
    ],
    [
      'a job that takes away its signals is removed',
      'that takes away the commands for the main process delays no signal, and its container’s removal ends it',
    ],
  ],
  'test/unit/agent/orphans.test.ts': [
    ['a sweep takes only what dead agents left', 'removes what a dead agent left, and nothing else'],
  ],
  'test/unit/ci-step/hosts/terminal/service-messages.test.ts': [
    [
      'output is no message to a CI system without a dialect',
      'never makes a message to a CI system, as it is or without its invisible characters',
    ],
  ],
  'test/unit/agent/log-line.test.ts': [
    ["nor does the agent's own log", 'moves no cursor of a terminal, by %s'],
  ],
  'test/unit/cli/doctor.test.ts': [
    [
      "a server's answer is no message to a CI system",
      'makes no message to a CI system of a server’s answer: %s',
    ],
  ],
  'test/unit/cli/main.test.ts': [
    ['nor is an error of a command', 'makes no message to a CI system of what it quotes: %s'],
  ],
  'test/unit/record/verification.test.ts': [
    ['nor is a name in a record', 'makes no message to a CI system of a name in the record: %s'],
  ],
  'test/integration/examples/set-up.test.ts': [
    ['the set-up program makes no policy for each branch', 'refuses a subject that any branch can have: %j'],
  ],
  'test/e2e/hostile.test.ts': [
    ['output forges nothing', 'cannot forge a command, an output or a line that readers would take for ours'],
    ['names reach nothing', 'cannot reach a file, a command, markup or another step'],
  ],
  'test/integration/docker/image-policy.test.ts': [
    ['allowed images', 'an allowed image is pulled by its full name, and what ran is named by its digest'],
  ],
  'test/unit/executor/image-policy.test.ts': [
    ['patterns of images', 'a pattern matches nothing from another registry, whatever comes before or after'],
  ],
  'test/e2e/secrets.test.ts': [
    [
      'redaction everywhere, encoded too',
      'never appears in the console, run directory, artifact, summary or Pulumi Cloud',
    ],
    [
      'nothing in `docker inspect`',
      'is not in what docker inspect or kubectl shows of a running job, whether value, token or registry password',
    ],
    [
      'the same in console, summary, report.html and at Pulumi Cloud',
      'can be read nowhere, whatever is invisible inside it, and in no base64 of a text around it',
    ],
    [
      "a deployment's own name stays readable",
      'is all that the environment of a deployment hides, whose stack and project can be read',
    ],
    [
      'pods: no value in spec or events',
      'is not in what docker inspect or kubectl shows of a running job, whether value, token or registry password',
    ],
  ],
  'test/unit/base/log/redactor.test.ts': [
    [
      'across chunks and lines',
      'is redacted exactly like the reference, however its bytes are split and whatever is invisible in it',
    ],
    [
      'as a person reads it, whatever is invisible inside',
      'contains no secret, whatever is invisible inside it, however it is split, wherever it is shown',
    ],
    [
      'a mask covers each escape sequence that it touches',
      'has nothing that a mask makes visible, wherever in a sequence it begins or ends',
    ],
    [
      "a mask can't be swallowed",
      'is not masked by a mask: none becomes part of an escape sequence before it',
    ],
    [
      'base64 and hexadecimal at any width',
      'is hidden at any width, with any line end and indentation, in every shift, however it is split',
    ],
    [
      'which lines wait',
      'makes a live line wait only if the 8 characters at its end begin a form, until the next line',
    ],
    ['until the job ends', 'that come and go during a stream hide exactly what they currently hold'],
    ["a step can't ask for a mask", 'that asks for a mask gets none: only what the agent knows is hidden'],
  ],
  'test/unit/base/log/terminal-text.test.ts': [
    [
      'display takes out the same as the redactor',
      'exactly what redaction does not see is stripped, but for characters that shape others',
    ],
    [
      'which characters are invisible',
      'every character is invisible that Unicode calls ignorable, and every control but tab and line feed',
    ],
  ],
  'test/unit/base/log/secret-forms.test.ts': [
    ['single lines from 8 characters on', 'is hidden line by line, from 8 characters, at any indentation'],
    ['no form is too short', 'forms have at least 4 characters, and encoded ones at least 8'],
    [
      'without white space around it',
      'the value %j is hidden without the white space around it too, as a shell prints it unquoted',
    ],
    ['long values', 'of a long value the rare forms are left out, which would cost memory'],
  ],
  'test/integration/agent/claimed-run.test.ts': [
    [
      'what steps add has a bound',
      'because the steps’ variables have become too much to hide says so, and hides those before',
    ],
  ],
  'test/unit/agent/job/environment.test.ts': [
    ['no token of the agent', 'is the job’s variables, and nothing from the host'],
    [
      'which values of an environment',
      'is secret if it is marked, forwarded, a credential, a token or suspect',
    ],
    ['what a step writes', 'is secret under the name of a marked or forwarded value, which no setting shows'],
    ['forwarded variables', 'is what is on the list, even in place of the job’s own value'],
    ['`DOCKER_HOST`', 'includes DOCKER_HOST once whenever it is set'],
  ],
  'test/unit/base/log/plain-names.test.ts': [
    [
      '4 or more characters',
      'values of 4 or more characters are secret unless they or their names are plain',
    ],
    ['where nothing is marked', 'can be secret: %s'],
    ['which names say credential', 'says credential: %s'],
    ['which once a value is marked', 'is plain unless its name or its shape says credential'],
    ['a mark that hides nothing', 'is judged as without a mark if that is on %j, which hides nothing'],
    [
      'what settings change',
      'is secret where secret_variables names it, and plain_variables changes no mark',
    ],
  ],
  'test/unit/base/log/credential-shape.test.ts': [
    ['3 of 150 plain values', 'is that of three plain addresses of the table too'],
    ['shapes of vendors', 'is that of: %s'],
    ['shares of random text', 'is that of text drawn from %s, %i characters long: in %d of 100'],
    ['plain values', 'is not that of %s'],
    ['a large value takes linear time', 'is looked for in a megabyte of %j in linear time'],
  ],
  'test/integration/pulumi-agent/job-recorder.test.ts': [
    ['behind the relay too', 'holds no secret of its job, and no token'],
  ],
  'test/integration/pulumi-agent/strangers.test.ts': [
    [
      "no stranger's call counts at the relay",
      'from another %s are refused, and neither claim nor record anything',
    ],
    [
      'nor ends a run',
      'about another job never make its heartbeats uncounted, which would end the agent after 8 minutes',
    ],
    ['nor makes a word a secret', 'make no word a secret, whatever they call'],
    [
      "nor changes this run's end or another run",
      'that call themselves Pulumi’s CLI change neither the run’s end nor how the next one runs',
    ],
  ],
  'test/integration/pulumi-agent/token-refresh.test.ts': [
    [
      'nor a secret a word',
      'a run’s record stays complete when the agent behind the relay exchanges its ID token again, and hides every token, whatever strangers send',
    ],
  ],
  'test/integration/pulumi-agent/relay.test.ts': [
    [
      'idle connections keep no agent out',
      'serves its agent while a stranger holds more connections than it takes',
    ],
    [
      'each ID token that stood in the file is one',
      'a run’s credentials are its token, each ID token that stood in its file, and those of answers',
    ],
  ],
  'test/unit/pulumi-agent/call-reader.test.ts': [
    [
      'nor guesses a credential',
      'takes no empty or guessable field of an answer for a token, as a stranger could name it',
    ],
    [
      'which tokens are credentials',
      'takes a claim from no other call, and credentials from answers, but for those that the job has too',
    ],
  ],
  'test/e2e/pulumi-engine.test.ts': [
    [
      'the same with the built action',
      'is what the relay believes, and neither a container nor a program of the machine without its credentials',
    ],
  ],
  'test/unit/record/writer.test.ts': [
    ["a run directory is its user's alone", 'is created with all its folders, and nobody else can read it'],
  ],
  'test/e2e/refusals.test.ts': [
    [
      "a forked pull request can't sign in",
      'without id-token: write names the missing permission, and says that forks do not get it',
    ],
    [
      'the policy refuses others, and no token is shown',
      'that the policy refuses prints the claims and the policy to add, never the token',
    ],
    [
      'a policy that demands a called workflow',
      'where the policy demands a called workflow is for that workflow alone, at its ref',
    ],
    [
      "a configuration file in the checkout isn't read",
      'is ignored unless an input names it, because a pull request could write it',
    ],
    ['a refused deployment starts nothing', 'is refused %s, before its image is pulled'],
    [
      'a hostile name forges nothing',
      'in token and variables forges no command, no markup and no file elsewhere',
    ],
  ],
  'test/e2e/configuration-files.test.ts': [
    [
      "an earlier job's file doesn't choose who gets the ID token",
      'does not choose the service that gets the CI job’s ID token',
    ],
    ["an earlier job's file starts no program", 'starts no program, and is a warning that names config-file'],
    [
      'nor is a package of its loaded',
      'is no package that the action loads, though Node.js looks for missing ones there',
    ],
    [
      "the file in `/etc` counts if it is root's alone",
      'configures the action and its agent where it is root’s alone, and is named; else it is refused',
    ],
    [
      'nothing runs where its lists are unknown',
      'is refused where its lists can’t be known, though the step names another file',
    ],
  ],
  'test/unit/ci-step/engine.test.ts': [
    ['the agent searches for no file either', 'without a file, the agent searches for none'],
  ],
  'test/integration/commands/machine-file.test.ts': [
    [
      'the file that this user can’t read',
      'the machine’s file with the mode %s is named with its owner where it can’t be read',
    ],
    [
      "a service's token is in another file",
      'is not where the systemd unit keeps the settings that its user can’t read, as they hold the token',
    ],
  ],
  'test/integration/cloud/token.test.ts': [
    [
      'nor does a message advise such a policy',
      'advises no policy for %s, which the jobs of any branch can have',
    ],
  ],
  'test/unit/example-policies.test.ts': [
    ['security.md has that policy', 'docs/security.md shows the policy of the called workflow'],
    [
      "a policy of ours lets in no branch's job",
      '%s lets in the reviewed job and no job that any branch can run',
    ],
    ['what a policy must not say', 'of %s in %s would be caught with the rules %j'],
    [
      'the caller of the demanded workflow chooses from lists',
      'reads nothing that a branch can change but its inputs, and of each text only what a list has',
    ],
  ],
  'test/e2e/examples.test.ts': [
    ['nor gets more by hostile inputs', 'called.yml keeps its own limits for a caller that asks for others'],
  ],
  'test/unit/agent/hooks/hook-facts.test.ts': [
    ['a hook gets no name that is not proven', 'under other names where only its own variables say it'],
  ],
  'test/integration/documents/hook-example.test.ts': [
    [
      'the first hook gives no key to a claimed name',
      'refuses a deployment whose name only its own variables say, and asks for nothing',
    ],
  ],
  'test/unit/base/config/trusted-file.test.ts': [
    ['who owns it, and each folder above it', 'is refused if another user owns it or its folder'],
    ['who can write to those', 'is refused in a folder with the mode %o, or below one'],
    ['no link', 'is refused if it is a link, or its folder is one'],
    [
      'a file that every user can write to',
      'is refused with the mode %o, as every user can write to it, named or found',
    ],
  ],
  'test/integration/engine/tampering.test.ts': [
    ['a kept release in a folder of others', 'is not used at all when it %s'],
    [
      '`engine-digest`',
      'that someone signed anew is refused with both digests named, its archive not even downloaded',
    ],
  ],
  'test/integration/docker/cache-volume.test.ts': [
    ["no other pool's cache volume", "is not given to another pool's job, which goes without and says why"],
    ['a cache volume hands files on', 'hands the files of one job to the next, and stays when they go'],
  ],
  'test/integration/health/health.test.ts': [
    [
      'half-open connections',
      'is still served while thousands of connections are half-open, of which it keeps the newest few hundred',
    ],
  ],
  'test/integration/kubernetes/deadline.test.ts': [
    [
      'pods: a bound that no job can write',
      'a job that forges its agent’s heartbeats and ignores every signal ends at its pod’s deadline',
    ],
    [
      'pods: the deadline cuts no step without an interrupt',
      'a step whose pod’s deadline strikes is interrupted first, and its error names the deadline',
    ],
  ],
  'test/integration/kubernetes/abandoned.test.ts': [
    [
      "pods: a job whose agent's pod is gone",
      'a job that forges its agent’s heartbeats lasts until another agent sees that the agent’s pod is gone',
    ],
    [
      'pods: an agent that may live keeps its job',
      'a pod whose agent may live is left alone: only the API server’s own word counts',
    ],
  ],
  'test/integration/kubernetes/chart.test.ts': [
    [
      "pods: the same with the chart's agents",
      'a job that forges heartbeats ends soon after its agent’s pod, where agents may read their own as the page says',
    ],
  ],
  'test/integration/kubernetes/hostile-steps.test.ts': [
    [
      'pods: a step says nothing of node or network',
      'a step that keeps its pod from answering, or writes its last words, says nothing about node or network',
    ],
  ],
  'test/unit/workflows.test.ts': [
    ["no example runs on a stranger's event", 'of the examples let no stranger start a job with rights'],
    [
      'a release is built, attested and published apart',
      'let a job attest only what it downloaded, and publish only what was attested, after a review',
    ],
    [
      'what builds a release is pinned',
      'is pinned: each image by its digest, Node.js for either processor and npm by their integrity',
    ],
  ],
  'test/integration/scripts/release-assets.test.ts': [
    [
      'Node.js with other bytes is refused',
      'a release holds files that its checksums list, and needs a dist/ that is what src/ builds to',
    ],
  ],
  'test/integration/scripts/release.test.ts': [
    ['no reviewers, no release', 'passes when it has reviewers'],
    ["a commit that isn't on a branch that releases", 'a commit that is on the branch %s alone is refused'],
    ['a moved tag', 'a tag that was moved %s is refused, and both commits are named'],
  ],
  'test/integration/scripts/release-push.test.ts': [
    [
      'the pushed image is the attested one',
      'the image that a release pushes is the attested one, byte by byte, with its attestations',
    ],
  ],
  'test/unit/agent/job/admission.test.ts': [
    ['only a proven name counts', 'is refused where a list is set and nothing proves its name'],
  ],
  'test/unit/cloud/identification.test.ts': [
    ['so is the name of what the step started', 'a deployment that the agent started needs no token'],
    ['no variable changes a proven name', 'the token counts where variables differ, with one notice'],
    [
      'an access token proves a name',
      'variables are proven only where Pulumi Cloud, asked with an access token, %s',
    ],
  ],
  'test/unit/base/config/allowed.test.ts': [
    [
      "the lists of the machine's file",
      'count besides those of any other source, which can’t take them away',
    ],
    ["a list that can't be kept starts nothing", 'a list that can’t be kept is a configuration error:'],
  ],
  'test/unit/agent/hooks/trusted-program.test.ts': [
    ['which programs can be hooks', 'one that %s is unfit'],
    ['a hook by a link of others', 'is unfit where others can replace a link between the first and the last'],
  ],
  'test/integration/agent/hooks.test.ts': [
    ['nor that of an earlier deployment', 'learns of the job, and of none of the agent’s own settings'],
    ['a broken file of variables shows nothing', 'that writes %s is broken, and shows none of it'],
    ['a hook gets no settings and no tokens', 'learns of the job, and of none of the agent’s own settings'],
    [
      'what a hook wrote is hidden in its own output',
      'gives it variables, whose values no log shows, though the hook printed them first',
    ],
  ],
  'test/unit/executor/open-files.test.ts': [
    ['open files: up to the hard limit, at most 1,048,576', 'of %s below %s becomes: %j'],
  ],
  'test/unit/executor/docker/name-server.test.ts': [
    ['where the name server is link-local', 'the host’s link-local name server is %s'],
  ],
  'test/unit/base/config/load.test.ts': [
    ['the same on Kubernetes and with Pulumi’s agent', 'are a warning where nothing can block them: %j'],
    ['`plain-variables` refuses `PULUMI_ACCESS_TOKEN`', 'name no variable plain that stays secret: %j'],
  ],
  'test/unit/base/config/keys.test.ts': [
    ['`512m` is refused', 'every key is refused in the file if its value is bad, with its position'],
  ],
  'test/integration/docker/sweep.test.ts': [
    [
      'what ends from outside gets its time first',
      'lets running containers end by themselves for as long as their grace lasts, and no longer',
    ],
    ['a sweep removes nothing of others', 'removes what carries all labels, in any state, and nothing else'],
  ],
  'test/unit/ci-step/hosts/github/masking.test.ts': [
    [
      'GitHub hides lines',
      'a secret of several lines makes no secret of a brace, so that JSON in job outputs stays',
    ],
  ],
  'test/unit/ci-step/hosts/azure/azure.test.ts': [
    ['Azure hides lines', 'each line of a secret is masked, except those that are hardly more than a brace'],
  ],
  'test/unit/base/log/deployment-secrets.test.ts': [
    [
      '`trigger_settings`',
      'every variable of a deployment’s settings is a secret, each marked value and each password in a URL',
    ],
    [
      'texts whose name is typical of credentials',
      'a password in plain text is a secret by its name, and a value by the mark beside it',
    ],
  ],
  'test/unit/base/log/configured-secrets.test.ts': [
    [
      'with the relay off: tokens and forwarded values',
      'the agent’s own tokens and what it forwards are secrets before any job is known, but for plain values',
    ],
  ],
  'test/unit/ci-step/hosts/ci-commands.test.ts': [
    ["nor the CI system's", 'a CI system’s credentials do not reach the agent'],
    [
      'but where it is forwarded',
      'one that is forwarded by name reaches the agent, which withholds it from its helpers',
    ],
  ],
  'test/unit/ci-step/publish.test.ts': [
    [
      'the output `stack` can be a claim',
      'the outputs name a deployment as soon as its claim does, or its definition',
    ],
  ],
  'test/integration/log/step-file.test.ts': [
    [
      'what is stored: logs for the runner’s user alone',
      'a step log is written in order, for its owner only, and can be read back',
    ],
  ],
  'test/integration/engine/download.test.ts': [
    [
      'what is stored: Pulumi’s agent, for the same user alone',
      'is downloaded, verified, unpacked for this run alone, and kept for the next',
    ],
  ],
  'test/e2e/cancel-and-crash.test.ts': [
    [
      'what is stored: no ID token after the post step',
      'while the run waits ends main within 2 s, and post ends the run gracefully',
    ],
  ],
  'test/integration/cloud/http.test.ts': [
    [
      'what leaves the machine: version and platform, in each call to Pulumi Cloud',
      'carries the protocol’s headers, the token and a JSON body',
    ],
  ],
  'test/unit/record/telemetry/settings.test.ts': [
    [
      'what leaves the machine: a trace only if a variable names a collector',
      'are off without an endpoint, and by the variables that say so',
    ],
  ],
  'test/unit/ci-step/token-file.test.ts': [
    [
      "the ID token's file is its user's alone",
      'a failing refresh is reported once and retried, until the file is fresh and private to this user',
    ],
  ],
  'test/unit/ci-step/hosts/state-directory.test.ts': [
    [
      '`ci` uses no folder that is a link or open to others',
      'a private folder that is %s is refused, and nothing in it is touched',
    ],
    ["nor another user's", 'a private folder of another user is refused'],
    [
      "nor another user's record",
      'a record of another user is refused, and one that others could read is made anew',
    ],
  ],
  'test/integration/logging/agent-log.test.ts': [
    [
      "the agent's log",
      'has each entry on stderr and in the file, redacted and on one line, and nobody else can read the file',
    ],
  ],
  'test/integration/kubernetes/secrets.test.ts': [
    [
      'pods: a value on a command line',
      'a value goes on a command line only when no shell can export its name, and credentials go in a pull secret',
    ],
  ],
  'test/unit/executor/step-settings.test.ts': [
    [
      'pods: the agent warns of it',
      'a warning lists the names whose values appear on a command line, but no value',
    ],
  ],
  'test/unit/executor/docker/confined.test.ts': [
    [
      'too many capabilities, or no `no-new-privileges`, with another runtime',
      'a job is refused whose shell sees %j',
    ],
  ],
  'test/unit/pages.test.ts': [
    [
      'the example unit ends a job from outside',
      'the example unit ends from outside what a killed agent left, once that had the time to end by itself',
    ],
    [
      'every file, folder and socket that is taken on trust',
      'the page on the mechanisms of security lists every setting and variable that names a file, folder or socket as taken on trust',
    ],
  ],
};
