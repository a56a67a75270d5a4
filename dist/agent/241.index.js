export const id = 241;
export const ids = [241];
export const modules = {

/***/ 2241:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   claimSchema: () => (/* binding */ claimSchema),
/* harmony export */   complaints: () => (/* binding */ complaints),
/* harmony export */   jobDefinitionSchema: () => (/* binding */ jobDefinitionSchema),
/* harmony export */   parseJobDefinition: () => (/* binding */ parseJobDefinition)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1579);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(270);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2871);
/* harmony import */ var _exchange_answer_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7428);



const text = zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().min(1);
const optionalText = zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP()
    .nullish()
    .transform((value) => (value === '' || value === null ? undefined : value));
const claimSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    jobID: text,
    jobToken: text,
    oidcToken: optionalText,
    runID: optionalText,
    typeSpecificID: optionalText,
    deploymentID: optionalText,
})
    .transform((claim, context) => {
    const deploymentId = claim.typeSpecificID ?? claim.deploymentID;
    if (deploymentId === undefined) {
        context.addIssue({ code: 'custom', message: 'neither typeSpecificID nor deploymentID' });
        return zod__WEBPACK_IMPORTED_MODULE_3__/* .NEVER */ .tm;
    }
    return {
        jobId: claim.jobID,
        jobToken: claim.jobToken,
        oidcToken: claim.oidcToken,
        runId: claim.runID ?? deploymentId,
        deploymentId,
    };
});
const scalar = zod__WEBPACK_IMPORTED_MODULE_2__/* .union */ .KCZ([zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig(), zod__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY()]).transform(String);
const jobValue = zod__WEBPACK_IMPORTED_MODULE_2__/* .union */ .KCZ([
    scalar.transform((value) => ({ value, secret: false })),
    zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ secret: scalar }).transform(({ secret }) => ({ value: secret, secret: true })),
    zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ value: scalar, isSecret: zod__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY().optional() })
        .transform(({ value, isSecret }) => ({ value, secret: isSecret ?? true })),
]);
const ciphertext = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ ciphertext: zod__WEBPACK_IMPORTED_MODULE_2__/* .unknown */ .L5J() }).loose();
const unreadable = 'is encrypted (ciphertext), which only Pulumi Cloud can read';
function readableValue(value, context, path) {
    const parsed = jobValue.safeParse(value);
    if (parsed.success)
        return parsed.data;
    const message = ciphertext.safeParse(value).success ? unreadable : 'is not a text, {secret} or {isSecret, value}';
    context.addIssue({ code: 'custom', message, path });
    return undefined;
}
const timeout = zod__WEBPACK_IMPORTED_MODULE_2__/* .union */ .KCZ([zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig()])
    .nullish()
    .transform((value) => (value === null || value === '' || value === 0 ? undefined : value));
const image = zod__WEBPACK_IMPORTED_MODULE_2__/* .union */ .KCZ([
    zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().transform((reference) => ({ reference, credentials: undefined })),
    zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ reference: optionalText, credentials: zod__WEBPACK_IMPORTED_MODULE_2__/* .unknown */ .L5J().optional() }),
])
    .nullish()
    .transform((value) => ({ reference: value?.reference || undefined, credentials: value?.credentials }))
    .transform(({ reference, credentials }, context) => {
    const given = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ username: text, password: zod__WEBPACK_IMPORTED_MODULE_2__/* .unknown */ .L5J() }).safeParse(credentials);
    if (!given.success)
        return { reference, credentials: undefined };
    const password = readableValue(given.data.password, context, ['credentials', 'password']);
    return { reference, credentials: { username: given.data.username, password: password?.value ?? '' } };
});
const step = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    name: optionalText,
    run: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP()
        .nullish()
        .transform((run) => run ?? ''),
    workingDir: optionalText,
    timeout,
});
const jobDefinitionSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    os: optionalText,
    architecture: optionalText,
    image,
    shell: optionalText.transform((shell) => shell ?? 'bash'),
    timeout,
    env: zod__WEBPACK_IMPORTED_MODULE_2__/* .record */ .g1P(zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_2__/* .unknown */ .L5J())
        .nullish()
        .transform((environment, context) => {
        const values = {};
        for (const [key, value] of Object.entries(environment ?? {})) {
            const readable = readableValue(value, context, [key]);
            if (readable !== undefined)
                values[key] = readable;
        }
        return values;
    }),
    steps: zod__WEBPACK_IMPORTED_MODULE_2__/* .array */ .YOg(step).min(1),
});
function complaints(error) {
    return error.issues
        .slice(0, 5)
        .map((issue) => {
        const path = issue.path.reduce((written, key) => `${written}${typeof key === 'number' ? `[${key}]` : `${written === '' ? '' : '.'}${String(key)}`}`, '');
        return path === '' ? issue.message : `${path}: ${issue.message}`;
    })
        .join('; ');
}
function parseJobDefinition(json, jobId) {
    const parsed = jobDefinitionSchema.safeParse(json, _exchange_answer_js__WEBPACK_IMPORTED_MODULE_1__/* .SELDOM */ .$);
    if (parsed.success)
        return parsed.data;
    const reason = json === undefined ? 'the answer is not JSON' : complaints(parsed.error);
    throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .JobDefinitionError */ .p2(`Failed to read the job definition for job ${jobId}: ${reason}. Start the deployment again; if it stays, report it with the run's artifact.`, { cause: parsed.error });
}


/***/ })

};
