/**
 * Classes that break every rule of the house, one or two each, to prove that it would be noticed.
 */
package io.posthorn.architecture.broken;
