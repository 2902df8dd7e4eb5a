package io.posthorn.examples.catalogue.products;

import org.springframework.data.jpa.repository.JpaRepository;

interface Products extends JpaRepository<Product, String> {}
