/** Application specific modules: what a policy's conditions and actions can call, each a stateless session bean. */
package perfstudies.aaa.modules;
