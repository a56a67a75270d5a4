/*
 * The post phase's program: main's, under a name of its own. What main leaves for post could not tell the two apart, because a
 * main that is ended at its very start has left nothing, and post must never run main.
 */
import './dist/action/index.js';
