import * as __WEBPACK_EXTERNAL_MODULE__shared_shared_js_42cc325a__ from "../shared/shared.js";
import * as __WEBPACK_EXTERNAL_MODULE__shared_agent_js_754ca3f6__ from "../shared/agent.js";
import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ // The require scope
/******/ var __nccwpck_require__ = {};
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/************************************************************************/
var __webpack_exports__ = {};

;// CONCATENATED MODULE: external "../shared/shared.js"
var x = (y) => {
	var x = {}; __nccwpck_require__.d(x, y); return x
} 
var y = (x) => (() => (x))
const shared_js_namespaceObject = x({ ["Rt"]: () => (__WEBPACK_EXTERNAL_MODULE__shared_shared_js_42cc325a__.Rt), ["kt"]: () => (__WEBPACK_EXTERNAL_MODULE__shared_shared_js_42cc325a__.kt) });
;// CONCATENATED MODULE: external "../shared/agent.js"
var agent_js_x = (y) => {
	var x = {}; __nccwpck_require__.d(x, y); return x
} 
var agent_js_y = (x) => (() => (x))
const agent_js_namespaceObject = agent_js_x({ ["t"]: () => (__WEBPACK_EXTERNAL_MODULE__shared_agent_js_754ca3f6__.t) });
;// CONCATENATED MODULE: external "node:path"
const external_node_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");
;// CONCATENATED MODULE: external "node:url"
const external_node_url_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:url");
;// CONCATENATED MODULE: external "node:sea"
const external_node_sea_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:sea");
;// CONCATENATED MODULE: ./lib/programs/agent.js
async function o(){let o={...process.env};for(let e of Object.keys(o))(0,shared_js_namespaceObject.kt)(e,o)&&delete process.env[e];let s=await (0,agent_js_namespaceObject.t)({argv:process.argv.slice(2),environment:o,workingDirectory:process.cwd(),agentDirectory:(0,external_node_path_namespaceObject.dirname)((0,external_node_url_namespaceObject.fileURLToPath)(import.meta.url)),script:(0,external_node_sea_namespaceObject.isSea)()?void 0:process.argv[1],process,exit:e=>process.exit(e)}),c=AbortSignal.timeout(1e4);await Promise.all([(0,shared_js_namespaceObject.Rt)(process.stdout,c),(0,shared_js_namespaceObject.Rt)(process.stderr,c)]),process.exit(s)}process.exitCode=1,o();
