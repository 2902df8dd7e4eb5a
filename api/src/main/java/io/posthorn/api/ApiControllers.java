package io.posthorn.api;

import io.posthorn.api.database.DatabasesController;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The controllers of the API, one class per thing. A new controller is one line here. */
@Configuration(proxyBeanMethods = false)
@Import({DatabasesController.class})
public class ApiControllers {}
