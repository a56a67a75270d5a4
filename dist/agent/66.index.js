export const id = 66;
export const ids = [66];
export const modules = {

/***/ 3066:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   cy: () => (/* binding */ entryFor),
/* harmony export */   withEntry: () => (/* binding */ withEntry)
/* harmony export */ });
/* unused harmony exports TROUBLESHOOTING_PAGE, BEGINNINGS, beginningOf, anchorOf */
const TROUBLESHOOTING_PAGE = 'https://github.com/org/pulumi-runner-action/blob/v1/TROUBLESHOOTING.md';
const BEGINNINGS = [
    "Failed to load the agent's configuration",
    'Failed to read the command line',
    'Failed to read \u2026 for the agent',
    'Failed to open the log for the agent',
    'Failed to open syslog for the agent',
    'Failed to serve /healthz for the agent',
    'Failed to make the directory for the run',
    'Failed to write to the run directory',
    'Failed to write the configuration',
    'Failed to start the agent',
    'Failed to run the agent for the pool',
    'Failed to run \u2026 for this job',
    'Failed to plan for this job',
    'The agent (process \u2026) was killed',
    'The agent (process \u2026) ended with exit code',
    "Failed to get this job's ID token",
    'Failed to read the ID token',
    'Failed to exchange the ID token',
    'Failed to authenticate',
    'Failed to use the token for the pool',
    'Failed to ask what the pool token may do',
    'Failed to look up',
    'Failed to connect to',
    'Failed to get through the proxy',
    'Failed to trust',
    'Failed to poll for work',
    'Failed to greet Pulumi Cloud',
    'Failed to read the claim',
    'Failed to acknowledge the claim',
    "Failed to read the deployment's status",
    'Failed to read the job definition',
    'Failed to read the timeout',
    'Failed to report step',
    'Failed to send log lines',
    'Failed to send a heartbeat',
    "Failed to keep the heartbeats' own thread",
    'Failed to reach the Docker engine',
    'Failed to use the Docker engine',
    'Failed to read the Docker context',
    'Failed to read \u2026 for the Docker target',
    'Failed to read \u2026 for the encrypted connection',
    'Failed to read the Docker configuration',
    'Failed to ask \u2026 for the login of',
    'Failed to use the image for the job',
    "Failed to read the image's name",
    'Failed to pull the image for the job',
    'Failed to find the image for the job',
    'Failed to start a container for the job',
    'Failed to make a network for the job',
    'Failed to start the step in its container',
    'Failed to follow the step in its container',
    'Failed to finish the step in container',
    'Failed to read the environment file',
    'Failed to remove container',
    'Failed to remove network',
    'Failed to run \u2026 of the workflow',
    'Failed to run the workflow',
    'Failed to finish',
    "The workflow's steps succeeded, but Pulumi Cloud",
    'Failed to find the cluster for jobs',
    'Failed to read \u2026 for the cluster',
    'Failed to reach the Kubernetes API server',
    'Failed to get access to',
    'Failed to \u2026 for the job: the cluster does not accept these credentials',
    'Failed to \u2026 for the job: the cluster forbids it',
    "Failed to \u2026 for the job: the namespace's quota is used up",
    "Failed to \u2026 for the job: the namespace's quota wants to know",
    'Failed to \u2026 for the job: an admission rule of the cluster refused it',
    'Failed to \u2026 for the job: the cluster calls it invalid',
    'Failed to \u2026 for the job: the API server answered',
    'Failed to read the pod template',
    'Failed to use the pod template',
    'Failed to start pod',
    'Failed to schedule pod',
    'Failed to pull image \u2026 for the job',
    'Failed to find image \u2026 for the job',
    'Failed to enter the pod',
    'Failed to put file',
    'Failed to start the step for the job',
    'Failed to finish the step in pod',
    'Failed to remove pod',
    'Failed to start \u2026 for',
    'Failed to start \u2026 deployments for their stacks',
    'Failed to choose the stacks',
    'Failed to list the stacks',
    "Failed to read the organization's load",
    'Failed to read the deployments',
    'Failed to upload the artifact',
    'Failed to write the summary',
    'Failed to write report.html',
    'Failed to write the result',
    'Failed to look for old run directories',
    'Failed to remove the run directory',
    'Failed to write an event',
    'Failed to read an event',
    'Failed to read the result',
    'Failed to \u2026 the step log',
    'Failed to write to syslog',
    'Failed to finish the run in the post step',
    'Failed to remove \u2026 after the run',
    'Failed to read the job for debug workflow-runner',
];
function beginningOf(message) {
    const open = (beginning) => Number(beginning.includes('\u2026'));
    return BEGINNINGS.filter((beginning) => startsWith(message, beginning)).sort((a, b) => open(a) - open(b) || b.length - a.length)[0];
}
function entryFor(message) {
    const beginning = beginningOf(message);
    return beginning === undefined ? undefined : `${TROUBLESHOOTING_PAGE}#${anchorOf(beginning)}`;
}
function withEntry(message) {
    const entry = entryFor(message);
    return entry === undefined ? message : `${message}${message.includes('\n') ? '\n' : ' '}See ${entry}`;
}
function anchorOf(heading) {
    return heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
        .replaceAll(' ', '-');
}
const MAX_NAME = 300;
function startsWith(message, beginning) {
    const [first = '', rest] = beginning.split('\u2026');
    if (!message.startsWith(first))
        return false;
    if (rest === undefined)
        return true;
    const at = message.indexOf(rest, first.length + 1);
    return at !== -1 && at - first.length <= MAX_NAME && !message.slice(first.length, at).includes('\n');
}


/***/ })

};
